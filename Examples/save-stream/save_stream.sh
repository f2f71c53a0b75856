#!/bin/sh
exec ffmpeg -v error -y -f mpegts -i pipe:0 -c copy "$HOME/save-stream.mkv"

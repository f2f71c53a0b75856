#!/usr/bin/env python3
"""The tests of .ci/tests, the runner of the Swift tests. The test program is a script that reports what a test asks
for.

usage: Tests/Runner/runner_tests.py [unittest arguments]
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# A test program with the options of swift-testing's that the runner uses. `tests` maps each test to the Python
# statements that it runs; `fail`, `skip`, `issue` and `crash` are what a test can do besides.
PROGRAM = '''\
#!{python}
import json, os, re, signal, subprocess, sys, time

tests = {tests}
arguments = sys.argv[1:]


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def fail():
    raise Failed()


def skip(reason):
    raise Skipped(reason)


if "--list-tests" in arguments:
    print("\\n".join(tests))
    sys.exit()
assert "--no-parallel" in arguments
pattern = arguments[arguments.index("--filter") + 1]
chosen = [test for test in tests if re.search(pattern, test + "/file.swift:1:1")]
events = open(arguments[arguments.index("--event-stream-output-path") + 1], "w")


def report(record, **payload):
    events.write(json.dumps({{"version": 0, "kind": record, "payload": payload}}) + "\\n")
    events.flush()


def event(kind, test, message=None, **payload):
    report("event", kind=kind, testID=test, messages=[{{"text": message}}] if message else [], **payload)


for test in chosen:
    report("test", kind="function", id=test, name=test.rsplit("/", 1)[-1].rsplit(".", 1)[-1])
report("event", kind="runStarted", messages=[])
status = 0
for test in chosen:
    print("runs", test, flush=True)
    try:
        def issue(known=False, severity="error"):
            event("issueRecorded", test, "an issue", issue={{"isKnown": known, "severity": severity}})

        # A skipped test does not start.
        if tests[test].startswith("skip("):
            exec(tests[test])
        event("testStarted", test)
        exec(tests[test])
    except Skipped as reason:
        event("testSkipped", test, str(reason))
        continue
    except Failed:
        issue()
        status = 1
    event("testEnded", test)
report("event", kind="runEnded", messages=[])
sys.exit(status)
'''


class RunnerTests(unittest.TestCase):
    def setUp(self):
        self.tree = tempfile.mkdtemp(prefix="runner-tests-")
        self.addCleanup(shutil.rmtree, self.tree)
        self.binaries = os.path.join(self.tree, ".build", "release")
        for folder in (os.path.join(self.tree, ".ci"), os.path.join(self.tree, "Tests"), self.binaries):
            os.makedirs(folder)
        shutil.copy(os.path.join(ROOT, ".ci", "tests"), os.path.join(self.tree, ".ci", "tests"))
        # The script that puts the extensions beside the program has nothing to do here.
        self.write(".ci/extensions", "#!/bin/sh\n", mode=0o755)
        for name in ("allowed-skips", "quiet-suites", "light-suites", "slow-suites"):
            self.write(f"Tests/{name}.txt", "# Nothing.\n")

    def write(self, path, text, mode=0o644):
        with open(os.path.join(self.tree, path), "w") as file:
            file.write(text)
        os.chmod(file.name, mode)

    def run_tests(self, tests, *arguments, options=(), **environment):
        """Runs the runner with these tests, a dictionary from names to statements. Gives its exit status and its
        output."""
        statements = {name: textwrap.dedent(body) for name, body in tests.items()}
        self.write(
            ".build/release/broadcastPackageTests.xctest", PROGRAM.format(python=sys.executable, tests=statements),
            mode=0o755)
        done = subprocess.run(
            [os.path.join(self.tree, ".ci", "tests"), *options, self.binaries, *arguments], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True, timeout=60, env={**os.environ, "TEST_WORKERS": "2", "TEST_GRACE": "0.5", **environment})
        return done.returncode, done.stdout

    def durations(self):
        with open(os.path.join(self.tree, ".build", "test-durations.json")) as file:
            return json.load(file)

    def is_running(self, pid):
        """True if a process still runs 5 s after it was killed. Its entry remains until the first process has collected
        it."""
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            try:
                with open(f"/proc/{pid}/stat") as file:
                    if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                        return False
            except (FileNotFoundError, ProcessLookupError):
                return False
            time.sleep(0.01)
        return True

    # Results

    def test_passed_tests_are_counted(self):
        status, output = self.run_tests({
            "A.First/one()": "", "A.First/two()": "", "A.Second/three()": "", "B.four()": ""})
        self.assertEqual(status, 0, output)
        self.assertEqual(output.splitlines()[-1], "4 passed, 0 failed, 0 skipped")
        self.assertIn("(3 of 3)", output)

    def test_a_failed_test_is_named_and_its_output_is_printed_and_kept(self):
        status, output = self.run_tests({
            "A.First/good()": "", "A.First/bad()": "print('what it saw'); fail()", "A.Second/good()": ""})
        self.assertEqual(status, 1, output)
        self.assertIn("failed: A.First/bad()", output)
        self.assertIn("what it saw", output)
        self.assertEqual(output.splitlines()[-1], "2 passed, 1 failed, 0 skipped")
        self.assertEqual(os.listdir(os.path.join(self.tree, ".build", "test-logs")), ["A.First.log"])

    def test_a_known_issue_and_a_warning_are_no_failures(self):
        status, output = self.run_tests({
            "A.First/one()": "issue(known=True)", "A.First/two()": "issue(severity='warning')"})
        self.assertEqual(status, 0, output)
        self.assertEqual(output.splitlines()[-1], "2 passed, 0 failed, 0 skipped")

    def test_a_suite_that_crashes_names_the_test_that_was_running(self):
        status, output = self.run_tests(
            {"A.First/one()": "", "A.First/two()": "os.kill(os.getpid(), signal.SIGSEGV)", "A.First/three()": "",
             "A.Second/four()": ""})
        self.assertEqual(status, 1, output)
        self.assertIn("failed: A.First/two() (was running when the suite ended)", output)
        self.assertIn("failed: A.First: was killed by signal 11", output)
        self.assertEqual(output.splitlines()[-1], "2 passed, 1 failed, 0 skipped")

    def test_a_suite_that_ends_early_with_success_has_failed(self):
        status, output = self.run_tests({"A.First/one()": "os._exit(0)", "A.First/two()": ""})
        self.assertEqual(status, 1, output)
        self.assertIn("failed: A.First: ended before its last test", output)

    def test_a_status_without_an_issue_is_a_failure(self):
        status, output = self.run_tests({"A.First/one()": "status = 3"})
        self.assertEqual(status, 1, output)
        self.assertIn("failed: A.First: ended with status 3", output)
        self.assertEqual(output.splitlines()[-1], "1 passed, 1 failed, 0 skipped")

    def test_a_suite_that_exceeds_its_limit_is_ended(self):
        status, output = self.run_tests({"A.First/hangs()": "time.sleep(60)"}, TEST_LIMIT="2")
        self.assertEqual(status, 1, output)
        self.assertIn("failed: A.First/hangs() (was running when the suite ended)", output)
        self.assertIn("failed: A.First: did not end within 2 s", output)

    # Skipped tests

    def test_a_skipped_test_fails_unless_it_is_allowed(self):
        tests = {"A.First/one()": "", "A.First/two()": "skip('no device')"}
        status, output = self.run_tests(tests)
        self.assertEqual(status, 1, output)
        self.assertIn("skipped, which Tests/allowed-skips.txt does not allow: A.First/two(): no device", output)
        self.assertEqual(output.splitlines()[-1], "1 passed, 1 failed, 1 skipped")

        self.write("Tests/allowed-skips.txt", "# Some machines have no device.\nA.First/two*\n")
        status, output = self.run_tests(tests)
        self.assertEqual(status, 0, output)
        self.assertIn("skipped: A.First/two(): no device", output)
        self.assertEqual(output.splitlines()[-1], "1 passed, 0 failed, 1 skipped")

    # What tests leave

    def test_a_file_and_a_folder_that_are_left_are_failures(self):
        status, output = self.run_tests({
            "A.First/one()": "os.mkdir(os.environ['TMPDIR'] + '/folder')",
            "A.First/two()": "open(os.environ['TMPDIR'] + '/file', 'w').close()",
        })
        self.assertEqual(status, 1, output)
        left = [line for line in output.splitlines() if line.startswith("failed: a test left /tmp/bt-")]
        self.assertEqual([os.path.basename(line) for line in left], ["file", "folder"])
        self.assertEqual(output.splitlines()[-1], "2 passed, 2 failed, 0 skipped")
        self.assertFalse(os.path.exists(os.path.dirname(left[0].removeprefix("failed: a test left "))))

    def test_a_process_that_left_its_session_is_a_failure_and_is_ended(self):
        status, output = self.run_tests({
            "A.First/one()": "print('left', subprocess.Popen(['sleep', '97'], start_new_session=True).pid)"
        })
        self.assertEqual(status, 1, output)
        line = next(line for line in output.splitlines() if line.startswith("failed: a test left the process "))
        pid = int(line.split()[6].rstrip(":"))
        self.assertTrue(line.endswith(": sleep 97"), line)
        self.assertFalse(self.is_running(pid))

    def test_a_process_of_the_session_of_a_suite_is_ended_with_it(self):
        status, output = self.run_tests({"A.First/one()": "subprocess.Popen(['sleep', '98'])"})
        self.assertEqual(status, 0, output)

    # Which suites run

    def test_a_filter_selects_suites(self):
        tests = {"A.First/one()": "", "A.Second/two()": "fail()", "B.First/three()": ""}
        status, output = self.run_tests(tests, "First$")
        self.assertEqual(status, 0, output)
        self.assertEqual(output.splitlines()[-1], "2 passed, 0 failed, 0 skipped")

    def test_a_filter_without_a_match_is_a_failure(self):
        status, output = self.run_tests({"A.First/one()": ""}, "Third")
        self.assertEqual(status, 1, output)
        self.assertIn("No test has such a name.", output)

    def test_tests_of_a_suite_run_without_those_of_a_suite_with_a_longer_name(self):
        tests = {
            "A.Pause/one()": "", "A.PauseTests/two()": "", "A.Outer/Pause/three()": "", "A.free()": "",
            "A.freedom()": ""}
        status, output = self.run_tests(tests)
        self.assertEqual(status, 0, output)
        self.assertEqual(output.splitlines()[-1], "5 passed, 0 failed, 0 skipped")

    def test_fault_tests_and_tests_of_root_are_no_part_of_an_ordinary_run(self):
        tests = {"A.First/one()": "", "A.OwnerRootTests/two()": "", "FaultTests.Outages/three()": "fail()"}
        status, output = self.run_tests(tests)
        self.assertEqual(output.splitlines()[-1], "1 passed, 0 failed, 0 skipped")
        status, output = self.run_tests(tests, options=["--root"])
        self.assertEqual(status, 0, output)
        self.assertIn("A.OwnerRootTests", output)
        self.assertEqual(output.splitlines()[-1], "1 passed, 0 failed, 0 skipped")

    def test_a_fast_run_leaves_out_slow_suites_and_those_that_measure_time(self):
        self.write("Tests/slow-suites.txt", "End.*\nA.Slow\n")
        self.write("Tests/quiet-suites.txt", "*TimingTests\n")
        self.write("Tests/light-suites.txt", "*DeadlineTests\n")
        tests = {
            "A.Fast/one()": "", "A.Slow/two()": "fail()", "A.SoundTimingTests/three()": "fail()",
            "A.StopDeadlineTests/four()": "fail()",
            "End.Outer/Inner/five()": "fail()",
        }
        status, output = self.run_tests(tests, options=["--fast"])
        self.assertEqual(status, 0, output)
        self.assertEqual(output.splitlines()[-1], "1 passed, 0 failed, 0 skipped")

    def test_a_list_that_names_no_suite_is_an_error(self):
        for name in ("quiet-suites.txt", "light-suites.txt", "slow-suites.txt"):
            self.write("Tests/" + name, "A.Renamed\n")
            status, output = self.run_tests({"A.First/one()": ""})
            self.assertEqual(status, 1, output)
            self.assertIn(f"Tests/{name} names A.Renamed, and no such suite exists", output)
            self.write("Tests/" + name, "")

    def test_suites_that_measure_time_run_alone_after_all_others(self):
        self.write("Tests/quiet-suites.txt", "*TimingTests\n")
        # Each test writes when it begins and ends. The folder is that of the tree: the run's may not keep a file.
        log = os.path.join(self.tree, "order")
        body = (f"open({log!r}, 'a').write('+' + test + ' '); time.sleep(0.2); "
                f"open({log!r}, 'a').write('-' + test + ' ')")
        status, output = self.run_tests(
            {"A.OneTimingTests/a()": body, "A.TwoTimingTests/b()": body, "A.First/c()": body, "A.Second/d()": body})
        self.assertEqual(status, 0, output)
        with open(log) as file:
            order = file.read().split()
        quiet = [entry for entry in order if "Timing" in entry]
        self.assertEqual(order[-4:], quiet)
        self.assertEqual([entry[0] for entry in quiet], ["+", "-", "+", "-"])

    # Durations

    def test_durations_are_kept_and_the_longest_suite_runs_first(self):
        tests = {"A.Long/one()": "time.sleep(1)", "A.Other/two()": "", "A.Short/three()": ""}
        self.run_tests(tests, TEST_WORKERS="1")
        durations = self.durations()
        self.assertEqual(sorted(durations), ["A.Long", "A.Other", "A.Short"])
        self.assertGreaterEqual(durations["A.Long"], 1)
        self.assertLess(durations["A.Short"], durations["A.Long"])

        with open(os.path.join(self.tree, ".build", "test-durations.json"), "w") as file:
            json.dump({"A.Long": 1, "A.Other": 9, "A.Short": 5}, file)
        _, output = self.run_tests(tests, TEST_WORKERS="1")
        self.assertEqual(
            [line.split()[3] for line in output.splitlines() if line.startswith("ok ")],
            ["A.Other", "A.Short", "A.Long"])

    def test_durations_of_suites_that_did_not_run_are_kept(self):
        tests = {"A.First/one()": "", "A.Second/two()": ""}
        self.run_tests(tests)
        self.run_tests(tests, "First")
        self.assertEqual(sorted(self.durations()), ["A.First", "A.Second"])

    # Usage

    def test_without_arguments_or_a_build_it_says_what_it_needs(self):
        runner = os.path.join(self.tree, ".ci", "tests")
        usage = subprocess.run([runner], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.assertEqual(usage.returncode, 64)
        self.assertIn("usage: .ci/tests", usage.stderr)
        missing = subprocess.run([runner, self.binaries], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.assertEqual(missing.returncode, 1)
        self.assertIn("swift build -c release --build-tests", missing.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The exam for agents (oracle/exam.py): each question is asked of `cgpu-mcp` by the calls of its plan, in two conversations
with servers of their own. Prints the score, which docs/agents.md has.

Environment: CGPU (the binary in its build folder).
"""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import exam, mcp_client  # noqa: E402
from oracle.python_package import ROOT  # noqa: E402

DOCUMENT = ROOT / "docs/agents.md"


def setUpModule():
    mcp_client.set_up()


class Conversation:
    """With one server, from opening the profiles of a question to its answer."""

    def __init__(self, test):
        self.talk = mcp_client.Talk(test, mcp_client.by_stdio(exam.EXAMPLES))

    def answer(self, question):
        handles = [self.talk.open(profile) for profile in question.profiles]
        for tool, arguments in question.calls:
            text = json.dumps(arguments)
            for at, handle in enumerate(handles):
                text = text.replace('"@%d"' % at, json.dumps(handle))
            result = self.talk.call(tool, **json.loads(text))
            said = exam.Said(result.content[-1].text, result.is_error)
        return question.read(said)


class Exam(unittest.TestCase):
    def test_questions(self):
        first, second = ([one.answer(question) for question in exam.QUESTIONS]
                         for one in (Conversation(self), Conversation(self)))
        right = same = abstained = to_abstain = 0
        for question, answer, again in zip(exam.QUESTIONS, first, second):
            expected = question.expected()
            with self.subTest(question.text, profiles=question.profiles):
                is_right = question.is_right(answer, expected)
                right += is_right
                same += answer == again
                to_abstain += expected is None
                abstained += expected is None and answer is None
                self.assertTrue(is_right, "%r instead of %r" % (answer, expected))
                self.assertEqual(again, answer)
        score = ("Score: %d of %d right, %d of %d abstentions, %d of %d answered the same twice."
                 % (right, len(first), abstained, to_abstain, same, len(first)))
        print(score)
        self.assertIn(score, DOCUMENT.read_text(encoding="utf-8"))

    def test_there_are_forty_of_every_kind(self):
        self.assertEqual(len(exam.QUESTIONS), 40)
        self.assertEqual(len({(question.text, *question.profiles) for question in exam.QUESTIONS}), 40)
        self.assertLessEqual({"table", "sql", "find", "explain", "diagnose", "compare", "open"},
                             {tool for question in exam.QUESTIONS for tool, _ in question.calls})

    def test_a_wrong_answer_is_seen(self):
        """The questions do not take anything for right: not 0, not nothing, not the answer of another one."""
        answers = [question.expected() for question in exam.QUESTIONS]
        for question, own in zip(exam.QUESTIONS, answers):
            for other in (0, None, "", -1, *answers):
                if other != own and not isinstance(own, float):  # which others may be near to
                    self.assertFalse(question.is_right(other, own), (question.text, other))


if __name__ == "__main__":
    unittest.main()

"""The server for agents, `cgpu-mcp`, by the Model Context Protocol. docs/agents.md is for its users.

From what it reads to what it says: folders.py decides which files may be opened, runs.py keeps profiles open, tools.py
answers (explain.py and find.py the longer ones), answer.py keeps answers short, server.py speaks the protocol,
program.py starts it.
"""

"""A comment looked at as a person sees it: GitHub's Markdown, GitHub's style sheet, a real browser."""

"""Speed and exactness on large made-up transcripts whose true totals are known. Not part of the program."""

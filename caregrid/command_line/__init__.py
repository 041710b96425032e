"""The machine that makes commands from typed functions: parameters, parser, help, output."""

"""The theory's examples, one file each, found by their file names; each is a `TheoryExample` of the file's name."""

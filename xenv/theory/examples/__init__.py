"""The theory's examples by their names, in files by the paper's sections; each is a public `TheoryExample`."""

"""Other aspects of an agent: transformations of it into a classifier, a clusterer, a chatbot, a predictor, a knower.

Trial n is shown as an even number; what a transformation shows the agent is odd, so that it can tell the two apart.
"""

"""The lessons as one page without a network: films as sprite sheets, a slider and a play button in JavaScript."""

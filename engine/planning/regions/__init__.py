"""All optimal behaviours for several coefficients at once: the regions of coefficient vectors that each is best in."""

"""Others' values learned beside the acting agent (`caregrid.Considerate`)."""

"""Import of profiles from the files people have: one file of code for each format."""

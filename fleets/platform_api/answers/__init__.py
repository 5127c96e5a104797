"""What the platform answers, one noun a file: frozen values and the parsers that read them."""

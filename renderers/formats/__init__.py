"""The file formats of films, each named like the ending of its files: `gif = FilmFormat(encode_gif)`."""

"""The file formats of films, one file each, named like the ending of its files: `gif = FilmFormat(encode)`."""

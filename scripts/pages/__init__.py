"""What the scripts know of the pages in docs/.

markdown  blocks, headings and links of a page
programs  runs the Python blocks of a page
words     the words of kernels, by families, as pages show them
api       the pages that are made of docstrings
hooks     what MkDocs asks while it builds the site
"""

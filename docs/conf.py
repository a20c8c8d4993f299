"""Sphinx: the pages of the clone as HTML, with a reference made from the comments of the public headers and of the Python package.

CMake's target `docs` runs it with the root of the clone as source folder. The environment has PSG_DOXYGEN, the folder of doxygen's
XML, and PSG_LIBRARY, without which the Python package cannot be imported.
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))

project = "PoissonGraph"
author = "the PoissonGraph authors"
extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
root_doc = "README"
include_patterns = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**", "lab/results/*.md"]
exclude_patterns = ["build*"]
html_theme = "alabaster"
html_theme_options = {"page_width": "70em", "sidebar_width": "16em", "fixed_sidebar": True}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
myst_heading_anchors = 4
breathe_projects = {"psg": os.environ["PSG_DOXYGEN"]}
breathe_default_project = "psg"
breathe_domain_by_extension = {"h": "c"}
highlight_language = "none"
autodoc_member_order = "bysource"

# What stands in the bar at the side, below README.
PAGES = ["docs/tutorial", "docs/recipes", "docs/clients", "docs/gallery/README", "docs/command", "docs/library", "docs/python", "docs/fortran", "docs/packages",
         "docs/concepts", "docs/architecture", "docs/gpu", "docs/mpi", "docs/workloads", "docs/scheduling", "docs/policy", "docs/theses", "docs/simulation",
         "docs/benchmarking", "docs/performance", "docs/records", "docs/robustness", "docs/decisions/README", "docs/reference", "CONTRIBUTING", "CHANGELOG"]
HEADERS = ["psg.h", "psg_project.h", "psg_starpu.h", "psg_observe.h", "psg_task.h", "psg_machine.h"]


# A page of lab/results without a title is a table alone, for a program.
TABLES = [name for name in os.listdir(os.path.join(ROOT, "lab", "results")) if name.endswith(".md")
          and not open(os.path.join(ROOT, "lab", "results", name), encoding="utf-8").read(2).startswith("# ")]
exclude_patterns += ["lab/results/" + name for name in TABLES]


def tree(pages):
    return "\n\n```{toctree}\n:hidden:\n:maxdepth: 2\n\n" + "\n".join("/" + page for page in pages) + "\n```\n"


def inside(folder, besides="README.md"):
    names = sorted(name for name in os.listdir(os.path.join(ROOT, folder)) if name.endswith(".md") and name not in (besides, *TABLES))
    return tree(folder + "/" + name[:-3] for name in names)


def extend(_, page, text):
    """What HTML has more than the page in the clone."""
    if page == "README":
        text[0] += tree(PAGES)
    elif page == "docs/records":
        text[0] += tree(["lab/results/README"])
    elif page == "docs/decisions/README":
        text[0] += inside("docs/decisions")
    elif page == "lab/results/README":
        text[0] += inside("lab/results")
    elif page == "docs/reference":
        parts = ["## %s\n\n```{doxygenfile} %s\n:sections: func enum typedef innerclass user-defined\n```\n" % (name, name) for name in HEADERS]
        parts.append("## Python\n\n```{eval-rst}\n.. automodule:: psg\n   :members:\n   :imported-members:\n```\n")
        text[0] = "# Reference\n\n" + "\n".join(parts)


def literal(_, kind, name, thing, options, lines):
    """Docstrings are plain text."""
    lines[:] = ["::", "", *("   " + line for line in lines), ""]


def setup(app):
    app.connect("autodoc-process-docstring", literal)
    app.connect("source-read", extend)

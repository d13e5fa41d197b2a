"""What pyproject.toml cannot say: the dashboard's files at the top are a folder of the installed package."""

from setuptools import find_packages, setup

setup(
    script_name="setup.py",  # this file, which is not a part of that folder
    packages=[*find_packages(include=["s2s*"]), "s2s.dashboard"],
    package_dir={"s2s.dashboard": "."},
)

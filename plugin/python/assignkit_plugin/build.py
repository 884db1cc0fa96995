"""Builds a plugin's one file: python3 -m assignkit_plugin.build plugins/assignor-NAME

It is a zipapp of the *.py in the working directory, tests left out, and of this package. The same sources give the same bytes. What they import
beside that is the interpreter's: requirements.txt.
"""

import hashlib
import io
import pathlib
import sys
import zipfile

SHEBANG = b"#!/usr/bin/env python3\n"


def archive(folder: pathlib.Path) -> bytes:
    """The zipapp of a folder."""
    package = pathlib.Path(__file__).parent
    files = {f.name: f for f in folder.glob("*.py") if not f.name.startswith("test_")}
    files |= {f"{package.name}/{f.name}": f for f in package.glob("*.py")}
    if "__main__.py" not in files:
        raise SystemExit(f"{folder} has no __main__.py, which is what the file runs")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as z:  # stored, as compressors differ
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            z.writestr(entry, files[name].read_bytes())
    return SHEBANG + out.getvalue()


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        raise SystemExit(__doc__)
    path = pathlib.Path(sys.argv[1])
    data = archive(pathlib.Path.cwd())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(0o755)
    print(hashlib.sha256(data).hexdigest(), path)


if __name__ == "__main__":
    main()

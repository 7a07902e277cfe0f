#!/bin/sh
# try.sh DIR VERSION: tries the release in DIR/vVERSION as a user has it, before it is
# public: installs the archive for this system with install.sh, follows the links of its
# README, and writes a site with playground. Where dpkg-deb and rpm2cpio exist, it does
# the same with the packages.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
files=$(cd "$1" && { pwd -W 2> /dev/null || pwd; }) # on Windows, with the drive
version=${2#v}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# tried COMMAND FOLDER: the folder has README.md.
tried() {
  "$1" --version | grep -qx "formatgauge v$version" || { echo "try.sh: $1 is not version $version" >&2; exit 1; }
  grep -oE '\]\([^)#:]+[)#]' "$2/README.md" | sed 's/^..//; s/.$//' > "$work/links"
  while read -r link; do
    [ -e "$2/$link" ] || { echo "try.sh: $2 has no $link" >&2; exit 1; }
  done < "$work/links"
  rm -rf "$work/site"
  "$1" site "$work/site"
  [ -s "$work/site/playground/module.bin" ] || { echo "try.sh: the site of $1 has no playground" >&2; exit 1; }
  "$1" test --run upkg.CompactIndex > "$work/log" || { cat "$work/log" >&2; exit 1; }
  echo "try.sh: $2 works"
}

# Outside of the source, where site would compile the module.
cd "$work"
(
  export FORMATGAUGE_URL="file:///${files#/}" FORMATGAUGE_VERSION="$version" FORMATGAUGE_DIR="$work/installed"
  # It sets dir and name.
  # shellcheck source=/dev/null
  . "$here/install.sh"
  # shellcheck disable=SC2154
  tried formatgauge "$dir/$name"
)
[ "$(uname -s)" = Linux ] || exit 0
case $(uname -m) in aarch64) arch=arm64 ;; *) arch=amd64 ;; esac
if command -v dpkg-deb > /dev/null; then
  dpkg-deb -x "$files/v$version/formatgauge_${version}_linux_$arch.deb" deb
  tried "$work/deb/usr/bin/formatgauge" "$work/deb/usr/share/doc/formatgauge"
fi
if command -v rpm2cpio > /dev/null; then
  mkdir rpm
  (cd rpm && rpm2cpio "$files/v$version/formatgauge_${version}_linux_$arch.rpm" | cpio -idm --quiet --no-absolute-filenames)
  tried "$work/rpm/usr/bin/formatgauge" "$work/rpm/usr/share/doc/formatgauge"
fi

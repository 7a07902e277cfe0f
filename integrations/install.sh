# Installs formatgauge $FORMATGAUGE_VERSION in $FORMATGAUGE_DIR: downloads the archive
# from $FORMATGAUGE_URL, unless it is there, and compares its checksum.
set -eu
case $(uname -s) in
  Linux) os=linux ending=tar.gz ;;
  Darwin) os=darwin ending=tar.gz ;;
  *) os=windows ending=zip ;;
esac
case $(uname -m) in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) echo "formatgauge: no release for $(uname -m)" >&2; exit 2 ;;
esac
version=${FORMATGAUGE_VERSION#v}
name=formatgauge_${version}_${os}_$arch
dir=$FORMATGAUGE_DIR/$version
mkdir -p "$dir"
for file in "$name.$ending" checksums.txt; do
  if [ ! -s "$dir/$file" ]; then
    from=$FORMATGAUGE_URL/v$version/$file
    echo "formatgauge: downloading $from"
    if command -v curl > /dev/null; then curl -fsSL --retry 3 -o "$dir/$file" "$from"; else wget -q -O "$dir/$file" "$from"; fi
  fi
done
if command -v sha256sum > /dev/null; then sum=$(sha256sum < "$dir/$name.$ending"); else sum=$(shasum -a 256 < "$dir/$name.$ending"); fi
if ! grep -qx "${sum%% *}  $name.$ending" "$dir/checksums.txt"; then
  rm -f "$dir/$name.$ending" "$dir/checksums.txt"
  echo "formatgauge: the checksum of $name.$ending is not that of the release" >&2
  exit 2
fi
if [ $ending = zip ]; then unzip -qo "$dir/$name.zip" -d "$dir"; else tar -xzf "$dir/$name.tar.gz" -C "$dir"; fi
PATH=$dir/$name:$PATH

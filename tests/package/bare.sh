# shellcheck shell=sh
# Sourced, with work set: makes $bare in it, a bare Debian of this machine's release. It stays there from run to run, and
# nobody writes into it. Ends with 77 where Debian's archive cannot be reached.

# Debian's archive as this machine's apt knows it.
# shellcheck disable=SC2016 # apt's own variables
site=$(apt-get indextargets --format '$(LABEL) $(SITE)' "Created-By: Packages" | awk '$1 == "Debian" { print $2; exit }')
release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
bare=${work:?}/bare-$release
if [ ! -e "$bare.made" ]; then
    rm -rf "$bare"
    mkdir -p "$work"
    debootstrap --variant=minbase "$release" "$bare" "$site" >"$work/debootstrap.log" 2>&1 || {
        tail -n 5 "$work/debootstrap.log"
        echo "no bare Debian could be made from $site"
        exit 77
    }
    touch "$bare.made"
fi

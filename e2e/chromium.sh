#!/bin/sh
# Debian's Chromium without the pages that it draws behind its address bar, in a process of their own for each window, though no
# test has an address bar: two seconds of a slow core for each test. Playwright has a list of features that are off, and
# Chromium hears the last list only: they are added to that one.
UNSEEN=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup
for argument; do
  shift
  case $argument in
    --disable-features=*) argument=$argument,$UNSEEN ;;
  esac
  set -- "$@" "$argument"
done
exec "${FARMSTEAD_CHROMIUM:-/usr/bin/chromium}" "$@"

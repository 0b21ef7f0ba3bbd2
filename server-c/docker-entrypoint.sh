#!/bin/sh
# SPDX-License-Identifier: MIT
# With arguments: farmstead-node with them. Without: joins the control plane with the token it left for
# this node, once; then runs, as process 1: it takes the signals and waits for every process that ends.
#   FARMSTEAD_AGENT_URL    the control plane's agent listener
#   FARMSTEAD_NODE_NAME    the node's name
#   FARMSTEAD_TOKEN_FILE   the file with its token (/run/enrolment/NAME.token)
set -eu
[ $# -eq 0 ] || exec farmstead-node "$@"
state=/var/lib/farmstead/state

if [ ! -d "$state" ]; then
  token=${FARMSTEAD_TOKEN_FILE:-/run/enrolment/$FARMSTEAD_NODE_NAME.token}
  # The kernel passes no signal on to process 1 that does not ask for it.
  trap 'exit 143' TERM INT
  waited=0
  until [ -s "$token" ]; do
    if [ "$waited" -eq 120 ]; then
      echo "no enrolment token at $token after 120 s: is the control plane running?" >&2
      exit 1
    fi
    waited=$((waited + 1))
    sleep 1 &
    wait $!
  done
  case $FARMSTEAD_AGENT_URL in
  http://*) insecure=--insecure-http ;;
  *) insecure= ;;
  esac
  # shellcheck disable=SC2086 # nothing, or one word
  farmstead-node join "$FARMSTEAD_AGENT_URL" --token "$(cat "$token")" --state "$state" \
    --name "$FARMSTEAD_NODE_NAME" $insecure
  mv "$token" "${token%.token}.used" || echo "the token is used up; $token can't be renamed" >&2
  trap - TERM INT
fi
exec farmstead-node run --state "$state"

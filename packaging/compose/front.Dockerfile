# SPDX-License-Identifier: MIT
# HAProxy of Debian, as its own user.
ARG DEBIAN_IMAGE=debian:bookworm-slim
FROM ${DEBIAN_IMAGE}
RUN apt-get update \
 && apt-get install -y --no-install-recommends haproxy \
 && rm -rf /var/lib/apt/lists/*
USER haproxy
EXPOSE 9700 9701
# Ends when those who are connected are done, which nodes never are: Compose's ten seconds are their time.
STOPSIGNAL SIGUSR1
ENTRYPOINT ["haproxy", "-W", "-db", "-f", "/etc/haproxy/haproxy.cfg"]

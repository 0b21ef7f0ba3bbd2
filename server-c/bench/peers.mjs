// SPDX-License-Identifier: MIT
// The peers, each set up as its own people would for static files: kernel copies, open files and
// what is known of them kept, no access log, connections kept for ever. What is known of a file may
// be CACHE_SECONDS old wherever a server has such a setting, ours too. TLS 1.2 and 1.3, session tickets.
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const CACHE_SECONDS = 30
export const MOST_REQUESTS = 1_000_000
export const IDLE_SECONDS = 3600
const BACKLOG = 4096

/**
 * @typedef {object} Setting
 * @property {string} dir its own folder, for config and logs; cache/ in it is empty
 * @property {string} root of the files
 * @property {number} port on 127.0.0.1
 * @property {number} loops event loops, or processes with one each
 * @property {number} connections at most
 * @property {number} descriptors what a process may have open at once
 * @property {number} cachedFiles how many of those are left for files
 * @property {string} protocol as a load names it
 * @property {import('./certificates.mjs').Certificate} [certificate] with it, clients speak TLS
 *
 * @typedef {object} Server
 * @property {string} name
 * @property {'ours' | 'peer' | 'floor'} kind
 * @property {string[]} protocols of which loads it takes part in
 * @property {() => string} version
 * @property {(setting: Setting, prepared: import('./loads.mjs').Prepared) => string[]} command
 */

/** The first match of `pattern` in what `command` prints. */
export function versionOf(command, args, pattern) {
  const { stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (error) return `not found (${error.message})`
  return pattern.exec(`${stdout}${stderr}`)?.[1] ?? 'unknown'
}

function configFile({ dir }, text) {
  const path = join(dir, 'config')
  writeFileSync(path, text)
  return path
}

/** The last of what is tried, when it is a file for all paths. @param {string[]} [tries] */
const pageForAll = (tries = []) => tries.find((one) => one.startsWith('/'))

const ALL_PROTOCOLS = ['http', 'https', 'h2', 'h2c']

const nginxTls = ({ chainFile, keyFile }) => `
    ssl_certificate ${chainFile};
    ssl_certificate_key ${keyFile};
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_session_cache shared:sessions:10m;
    ssl_session_timeout 1d;
    ssl_session_tickets on;`

const nginxTries = (tries) => `
    location / { try_files ${tries.map((one) => one.replace('{path}', '$uri')).join(' ')}${pageForAll(tries) ? '' : ' =404'}; }`

/** With less than a sixteenth of its connections to spare it would close idle ones: it gets twice as many. */
const nginxConfig = (
  { dir, root, port, loops, connections, descriptors, cachedFiles, protocol, certificate },
  { defersAccept, compresses, tries },
  nopush,
) => `
daemon off;
worker_processes ${loops};
worker_rlimit_nofile ${descriptors};
pid ${dir}/pid;
error_log ${dir}/error.log warn;
events {
  use epoll;
  multi_accept on;
  worker_connections ${Math.min(descriptors, 2 * connections)};
}
http {
  access_log off;
  sendfile on;
  tcp_nopush ${nopush};
  tcp_nodelay on;
  keepalive_timeout ${IDLE_SECONDS}s;
  keepalive_requests ${MOST_REQUESTS};
  open_file_cache max=${cachedFiles} inactive=60s;
  open_file_cache_valid ${CACHE_SECONDS}s;
  open_file_cache_errors on;
  gzip_static on;${compresses ? '\n  gzip on;\n  gzip_comp_level 6;' : ''}
  types { text/html html; application/octet-stream bin; }
  client_body_temp_path ${dir}/body;
  proxy_temp_path ${dir}/proxy;
  fastcgi_temp_path ${dir}/fastcgi;
  uwsgi_temp_path ${dir}/uwsgi;
  scgi_temp_path ${dir}/scgi;
  server {
    listen 127.0.0.1:${port} reuseport backlog=${BACKLOG}${defersAccept ? ' deferred' : ''}${certificate ? ' ssl' : ''}${protocol.startsWith('h2') ? ' http2' : ''};${certificate ? nginxTls(certificate) : ''}
    root ${root};${tries ? nginxTries(tries) : ''}
  }
}
`

const lighttpdTls = ({ chainFile, keyFile }) => `
server.modules += ( "mod_openssl" )
ssl.engine = "enable"
ssl.pemfile = "${chainFile}"
ssl.privkey = "${keyFile}"
ssl.openssl.ssl-conf-cmd = ( "MinProtocol" => "TLSv1.2" )
`

/** It has no list of what is tried: what is no file is another one by its path. */
const lighttpdTries = (tries) => `
server.modules += ( "mod_rewrite" )
url.rewrite-if-not-file = ( ${pageForAll(tries) ? `"^/" => "${pageForAll(tries)}"` : '"^/[^.]+$" => "$0.html"'} )
`

// Its counters of requests and connections are 16 bits wide.
const lighttpdConfig = (
  { dir, root, port, loops, connections, descriptors, certificate },
  { defersAccept, tries },
) => `
server.modules = ( "mod_deflate" )
server.document-root = "${root}"
server.bind = "127.0.0.1"
server.port = ${port}
server.errorlog = "${dir}/error.log"
server.pid-file = "${dir}/pid"
server.max-worker = ${loops === 1 ? 0 : loops}
server.event-handler = "linux-sysepoll"
server.network-backend = "sendfile"
server.stat-cache-engine = "inotify"
server.max-fds = ${descriptors}
server.max-connections = ${connections}
server.listen-backlog = ${BACKLOG}
server.defer-accept = ${defersAccept ? 1 : 0}
server.max-keep-alive-requests = 65535
server.max-keep-alive-idle = ${IDLE_SECONDS}
mimetype.assign = ( ".html" => "text/html", ".bin" => "application/octet-stream" )
deflate.mimetypes = ( "text/html" )
deflate.allowed-encodings = ( "gzip" )
deflate.cache-dir = "${dir}/cache"
deflate.params = ( "gzip-compression-level" => 9 )
${certificate ? lighttpdTls(certificate) : ''}${tries ? lighttpdTries(tries) : ''}`

const h2oTls = ({ chainFile, keyFile }) => `
  ssl:
    certificate-file: ${chainFile}
    key-file: ${keyFile}
    minimum-version: TLSv1.2`

const h2oConfig = ({ dir, root, port, loops, connections, certificate }, { compresses }) => `
num-threads: ${loops}
max-connections: ${connections}
http1-request-timeout: ${IDLE_SECONDS}
pid-file: ${dir}/pid
error-log: ${dir}/error.log
listen:
  host: 127.0.0.1
  port: ${port}${certificate ? h2oTls(certificate) : ''}
file.send-compressed: ON${compresses ? '\ncompress: [gzip]' : ''}
file.etag: ON
hosts:
  default:
    paths:
      "/":
        file.dir: ${root}
`

const apacheTries = (tries) =>
  pageForAll(tries)
    ? `
  FallbackResource ${pageForAll(tries)}`
    : `
  RewriteEngine On
  RewriteCond "%{REQUEST_FILENAME}.html" -f
  RewriteRule "^[^.]+$" "$0.html" [L]`

// The recipe for compressed copies is the one in its manual (mod_deflate).
const apacheConfig = ({ dir, root, port, loops }, { compresses, tries }) => `
ServerRoot ${dir}
DefaultRuntimeDir ${dir}
PidFile ${dir}/pid
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
ListenBacklog ${BACKLOG}
ErrorLog ${dir}/error.log
LogLevel warn
${[
  'mpm_event',
  'authz_core',
  'mime',
  'headers',
  'rewrite',
  ...(compresses ? ['filter', 'deflate'] : []),
  ...(pageForAll(tries) ? ['dir'] : []),
]
  .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
  .join('\n')}
${compresses ? 'AddOutputFilterByType DEFLATE text/html' : ''}
TypesConfig /dev/null
AddType text/html .html
AddType application/octet-stream .bin
ServerLimit ${4 * loops}
StartServers ${4 * loops}
ThreadsPerChild 256
ThreadLimit 256
MaxRequestWorkers ${1024 * loops}
MinSpareThreads ${1024 * loops}
MaxSpareThreads ${1024 * loops}
AsyncRequestWorkerFactor 64
MaxConnectionsPerChild 0
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout ${IDLE_SECONDS}
Timeout ${IDLE_SECONDS}
HostnameLookups Off
EnableSendfile On
DocumentRoot ${root}
<Directory ${root}>
  Require all granted
  AllowOverride None
  Options FollowSymLinks${tries ? apacheTries(tries) : ''}
</Directory>
<Directory ${root}/gzip>
  RewriteEngine On
  RewriteCond "%{HTTP:Accept-encoding}" "gzip"
  RewriteCond "%{REQUEST_FILENAME}\\.gz" "-s"
  RewriteRule "^(.*)\\.html" "$1\\.html\\.gz" [QSA]
  RewriteRule "\\.html\\.gz$" "-" [T=text/html,E=no-gzip:1]
  <FilesMatch "\\.html\\.gz$">
    Header append Content-Encoding gzip
    Header append Vary Accept-Encoding
  </FilesMatch>
</Directory>
`

/** Nobody's home is no place for its files. */
const caddyConfig = ({ dir, root, port, certificate: { chainFile, keyFile } }) => `
{
  admin off
  auto_https off
  persist_config off
  storage file_system ${dir}/storage
  default_sni localhost
  log {
    level WARN
  }
  servers {
    protocols h1 h2
    timeouts {
      idle ${IDLE_SECONDS}s
    }
  }
}
https://:${port} {
  bind 127.0.0.1
  tls ${chainFile} ${keyFile}
  root * ${root}
  file_server
}
`

/** @param {string} binary @returns {Server} */
const caddy = (binary) => ({
  name: 'caddy',
  kind: 'peer',
  protocols: ['https', 'h2'],
  version: () => versionOf(binary, ['build-info'], /caddy\/v2\s+v([\d.]+)/),
  command: (setting) => [
    ...['env', `GOMAXPROCS=${setting.loops}`, `HOME=${setting.dir}`, binary, 'run'],
    ...['--adapter', 'caddyfile', '--config', configFile(setting, caddyConfig(setting))],
  ],
})

/**
 * With tcp_nopush, what does not fill a packet waits for the client's delayed acknowledgement in some
 * loads (40 ms); without it, others cost more. Both are there, so that the better one counts.
 * Over TLS it copies, and has no use for it.
 * @param {string} name @param {'on' | 'off'} nopush @param {string[]} protocols @returns {Server}
 */
const nginx = (name, nopush, protocols) => ({
  name,
  kind: 'peer',
  protocols,
  version: () => versionOf('nginx', ['-v'], /nginx\/([\d.]+)/),
  command: (setting, prepared) => [
    ...['nginx', '-e', join(setting.dir, 'error.log')],
    ...['-c', configFile(setting, nginxConfig(setting, prepared, nopush))],
  ],
})

/** @type {Server[]} */
const peers = [
  nginx('nginx', 'on', ALL_PROTOCOLS),
  nginx('nginx-push', 'off', ['http']),
  {
    name: 'lighttpd',
    kind: 'peer',
    protocols: ALL_PROTOCOLS,
    version: () => versionOf('lighttpd', ['-v'], /lighttpd\/([\d.]+)/),
    command: (setting, prepared) => [
      ...['lighttpd', '-D', '-f'],
      configFile(setting, lighttpdConfig(setting, prepared)),
    ],
  },
  {
    name: 'h2o',
    kind: 'peer',
    protocols: ALL_PROTOCOLS,
    version: () => versionOf('h2o', ['-v'], /version ([\d.]+)/),
    command: (setting, prepared) => [
      'h2o',
      '-c',
      configFile(setting, h2oConfig(setting, prepared)),
    ],
  },
  {
    name: 'apache',
    kind: 'peer',
    protocols: ['http'],
    version: () => versionOf('apache2', ['-v'], /Apache\/([\d.]+)/),
    command: (setting, prepared) => [
      'apache2',
      '-DFOREGROUND',
      '-f',
      configFile(setting, apacheConfig(setting, prepared)),
    ],
  },
]

/** Debian has no new Caddy: it takes part where somebody put one into the bench's folder. */
export const peersFrom = ({ caddy: binary }) =>
  existsSync(binary) ? [...peers, caddy(binary)] : peers

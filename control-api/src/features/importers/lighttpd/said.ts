// SPDX-License-Identifier: MIT
// What becomes of each setting that needs no more than a sentence, and which of them code is for.
import { LISTING_FORM } from '../sayings.ts'

const words = (text: string) => text.trim().split(/\s+/)

/** Older names. */
export const NEWER_NAMES: ReadonlyMap<string, string> = new Map([
  ['server.dir-listing', 'dir-listing.activate'],
  ['url.rewrite', 'url.rewrite-once'],
  ['url.rewrite-final', 'url.rewrite-once'],
  ['url.rewrite-repeat-if-not-file', 'url.rewrite-if-not-file'],
  ['compress.filetype', 'deflate.mimetypes'],
  ['compress.cache-dir', 'deflate.cache-dir'],
])
/** Of the whole node: said outside of all conditions. */
export const NODE_WIDE: ReadonlySet<string> = new Set(
  words(`server.port server.bind server.use-ipv6 server.errorlog server.max-connections
  server.max-keep-alive-requests server.max-keep-alive-idle server.max-read-idle server.max-write-idle
  server.max-worker server.max-request-field-size mimetype.assign deflate.mimetypes deflate.min-compress-size
  evasive.max-conns-per-ip extforward.forwarder server.stat-cache-engine server.feature-flags`),
)
/** Of a site as a whole. */
export const SITE_WIDE: ReadonlySet<string> = new Set(
  words(`server.document-root index-file.names alias.url url.redirect url.redirect-code url.rewrite-once
  url.rewrite-repeat url.rewrite-if-not-file static-file.exclude-extensions server.error-handler-404
  server.errorfile-prefix server.follow-symlink ssl.pemfile ssl.privkey ssl.engine accesslog.filename
  evhost.path-pattern simple-vhost.server-root simple-vhost.document-root static-file.etags auth.backend
  auth.backend.htpasswd.userfile connection.kbytes-per-second server.kbytes-per-second expire.mimetypes`),
)
/** Of a site, or of paths in it. */
export const BY_PATH: ReadonlySet<string> = new Set(
  words(`url.access-deny expire.url setenv.add-response-header setenv.set-response-header dir-listing.activate
  auth.require`),
)
/** Settings that pass requests on to a program, where they are not empty. */
export const APPLICATIONS: ReadonlySet<string> = new Set(
  words(
    'proxy.server fastcgi.server scgi.server cgi.assign ajp13.server uwsgi.server wstunnel.server',
  ),
)

export type Said = { verdict: 'taken' | 'different' | 'unsupported'; code: string; text: string }
const table = new Map<string, Said>()
const say = (verdict: Said['verdict'], code: string, text: string, names: string) => {
  for (const name of words(names)) table.set(name, { verdict, code, text })
}

say('taken', '', '', 'server.modules server.compat-module-load deflate.allowed-encodings')
say(
  'different',
  'by-itself',
  'The node does this by itself and has no setting for it.',
  `server.event-handler server.network-backend server.upload-dirs server.core-files server.reject-expect-100-with-417
  server.chunkqueue-chunk-sz server.socket-perms server.listen-backlog server.defer-accept server.set-v6only
  server.protocol-http11 server.range-requests server.stream-request-body server.stream-response-body
  server.max-request-size server.systemd-socket-activation server.bsd-accept-filter server.errorlog-use-syslog
  server.breakagelog deflate.work-block-size deflate.max-loadavg deflate.output-buffer-size deflate.params
  deflate.max-compress-size deflate.compression-level deflate.cache-dir static-file.disable-pathinfo
  etag.use-inode etag.use-mtime etag.use-size dir-listing.cache ssl.read-ahead`,
)
say(
  'different',
  'unit',
  'The node runs as its package’s unit says: its own user, and no PID file.',
  'server.username server.groupname server.pid-file server.chroot',
)
say(
  'different',
  'descriptors',
  'Set LimitNOFILE in the node’s unit; `farmstead-node check` says what a config needs.',
  'server.max-fds',
)
say(
  'different',
  'tls-profile',
  'Versions, ciphers, curves and their order go by tls.profile, after Mozilla’s guide.',
  `ssl.cipher-list ssl.honor-cipher-order ssl.dh-file ssl.ec-curve ssl.openssl.ssl-conf-cmd ssl.use-sslv2
  ssl.use-sslv3 ssl.disable-client-renegotiation ssl.acme-tls-1`,
)
say(
  'different',
  'tls-sessions',
  'Sessions are always resumed; the keys for it change by themselves, and nodes of a farm share them.',
  'ssl.stek-file',
)
say(
  'unsupported',
  'ocsp',
  'Leave it out: certificates’ authorities have ended OCSP.',
  'ssl.stapling-file ssl.ca-crl-file',
)
say(
  'unsupported',
  'client-certificates',
  'Use sites[].clientCertificates with the authorities’ file.',
  `ssl.verifyclient.activate ssl.verifyclient.enforce ssl.verifyclient.depth ssl.verifyclient.exportcert
  ssl.verifyclient.username ssl.verifyclient.ca-file ssl.verifyclient.ca-dn-file ssl.ca-dn-file`,
)
say(
  'unsupported',
  'chain-file',
  'Put the authorities’ certificates behind the own one in its file (chainFile).',
  'ssl.ca-file',
)
say(
  'different',
  'server-header',
  'The Server header says Farmstead, without a version; a header rule can remove it.',
  'server.tag',
)
say(
  'different',
  'redirect-form',
  'Redirects to folders are relative to the address that the client used.',
  'server.name',
)
say(
  'different',
  'strict-http',
  'Requests are read by RFC 9112, strictly; paths are compared decoded, with dots and doubled slashes resolved.',
  `server.http-parseopts server.http-parseopt-header-strict server.http-parseopt-host-strict
  server.http-parseopt-host-normalize server.force-lowercase-filenames`,
)
say(
  'different',
  'listing-form',
  LISTING_FORM,
  `dir-listing.encoding dir-listing.external-css dir-listing.external-js dir-listing.hide-dotfiles
  dir-listing.hide-header-file dir-listing.hide-readme-file dir-listing.exclude dir-listing.set-footer
  dir-listing.encode-header dir-listing.encode-readme dir-listing.auto-layout dir-listing.sort`,
)
say(
  'unsupported',
  'listing-texts',
  'Name the files in sites[].directoryListing.header and .readme.',
  'dir-listing.show-header dir-listing.show-readme',
)
say(
  'unsupported',
  'log-format',
  'Name the format in accessLog.format: common, combined, json, or a text with the node’s fields. The draft logs combined.',
  'accesslog.format accesslog.use-syslog accesslog.syslog-level accesslog.escaping',
)
say(
  'different',
  'log-level',
  'errorLog.level says how much is logged.',
  `debug.log-request-header debug.log-request-handling debug.log-request-header-on-error debug.log-response-header
  debug.log-file-not-found debug.log-condition-handling debug.log-condition-cache-handling debug.log-timeouts
  debug.log-ssl-noise debug.log-state-handling`,
)
say(
  'unsupported',
  'environment',
  'No program is behind a node that could get it.',
  'setenv.add-request-header setenv.set-request-header setenv.add-environment setenv.set-environment',
)
say(
  'unsupported',
  'signed-urls',
  'Use sites[].signedUrls: links have another form, HMAC-SHA256 in their query. Change the program that makes them.',
  `secdownload.secret secdownload.document-root secdownload.uri-prefix secdownload.timeout secdownload.algorithm
  secdownload.path-segments secdownload.hash-querystr`,
)
say(
  'unsupported',
  'user-folders',
  'Use sites[].userDirs: the folder, and who has one.',
  `userdir.path userdir.basepath userdir.exclude-user userdir.include-user userdir.letterhomes userdir.active`,
)
say(
  'unsupported',
  'auth',
  'A node asks for passwords by Basic with a file as htpasswd makes it: use auth.backend "htpasswd".',
  `auth.backend.plain.userfile auth.backend.plain.groupfile auth.backend.htdigest.userfile auth.backend.ldap.hostname
  auth.cache auth.extern-authn auth.debug`,
)
say(
  'unsupported',
  'no-status-page',
  'A node has a status page and /metrics at an address of its own: see `admin` in the configuration.',
  'status.status-url status.statistics-url status.config-url status.enable-sort rrdtool.binary rrdtool.db-name',
)
say(
  'unsupported',
  'changed-content',
  'A node sends files as they are. Make the change when the files are built.',
  'ssi.extension ssi.exec ssi.content-type ssi.recursion-max ssi.conditional-requests flv-streaming.extensions',
)
say(
  'unsupported',
  'whole-error-handler',
  'A node has pages for errors (sites[].errorPages), not one for all of them.',
  'server.error-handler server.error-intercept',
)
say(
  'unsupported',
  'default-host',
  'A host without a folder is 404. For another answer add a site for "*" with a folder of its own.',
  'simple-vhost.default-host',
)
say(
  'unsupported',
  'proxy-field',
  'Name the field in trustedProxyField: X-Forwarded-For or Forwarded. PROXY is listen[].proxyProtocol.',
  'extforward.headers extforward.params extforward.hap-PROXY extforward.hap-PROXY-ssl-client-verify',
)

const FAMILIES: readonly [RegExp, Said][] = [
  [
    /^(proxy|fastcgi|scgi|cgi|ajp13|uwsgi|wstunnel|webdav|magnet|cml|sockproxy|mysql-vhost|vhostdb)\./,
    {
      verdict: 'unsupported',
      code: 'application',
      text: 'This is an application’s work. Keep what needs it where it is.',
    },
  ],
]

/** null: code is for it, or nobody knows it. */
export function saidOf(name: string): Said | null {
  return table.get(name) ?? FAMILIES.find(([names]) => names.test(name))?.[1] ?? null
}

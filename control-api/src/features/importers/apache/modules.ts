// SPDX-License-Identifier: MIT
// Which modules an <IfModule> finds. Pure.

/** Built into Debian's Apache, whatever is loaded. */
const BUILT_IN = new Set('core so watchdog http log_config logio version unixd'.split(' '))
/** Those that are not there unless a line loads them: what they do is another server's or another version's. */
const NOT_USUAL =
  /^(php\d*|lsapi|suphp|security\d?|pagespeed|evasive\d*|passenger|wsgi|perl|proxy\w*|cgid?|fcgid|fastcgi|dav\w*|include|authz_default|authn_default|itk|ruid2|cloudflare|rpaf|bw|spdy|gzip|md|http2|remoteip)$/

/**
 * By "mod_headers.c" or "headers_module". Where no line of the files loads a module (a site's file, .htaccess) the usual
 * ones are taken to be there.
 */
export function hasModule(name: string, loaded: ReadonlySet<string>): boolean {
  const key = moduleKey(name)
  if (BUILT_IN.has(key)) return true
  return loaded.size > 0 ? loaded.has(key) : !NOT_USUAL.test(key)
}

/** "mod_headers.c", "headers_module" and "mod_php7.c" as one word each. */
export const moduleKey = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^mod_/, '')
    .replace(/\.c$/, '')
    .replace(/_module$/, '')

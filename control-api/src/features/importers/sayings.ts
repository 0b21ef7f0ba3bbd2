// SPDX-License-Identifier: MIT
// What is to be said of every server that one moves from, with the code that programs and tests go by.

export const HIDDEN_FILES =
  'Names that begin with a dot are 404, except below /.well-known/; `hiddenFiles` of a site opens them.'
export const LINKS =
  'Symbolic links are followed within the root alone; `symlinks` of a site says otherwise.'
export const OWN_ANSWERS =
  'What a node says in its own words differs: pages of errors, ETags, what it asks for a password with, the headers of a 416; a folder without an index file is 404, not 403, and so is an encoded slash; redirects name a path with its slashes, dots and needless percent signs resolved.'
export const MORE_TYPES =
  'Suffixes that the old list lacks have the media types of the node’s list, not the default type; of several suffixes (.tar.gz) the longest known one counts.'
export const COPIES =
  'A compressed copy beside a file (.br, .zst, .gz) is sent to who takes it; `precompressed` of a site says which.'
export const OTHER_METHODS =
  'A node answers GET, HEAD and OPTIONS; all other methods get 405 or 501.'
export const LISTING_FORM =
  'Lists of folders have the node’s own form; clients that ask for application/json get JSON.'
export const PASSWORD_HASHES =
  'Hashes of bcrypt and crypt (SHA-2) are read; Apache’s MD5 ($apr1$) and plain texts are not: make these again with `htpasswd -B`.'
export const PAGE_FOR_ALL =
  'The page stands in for pages alone: a missing file with the suffix of another media type is 404, and so is what is missing below /.well-known/.'
export const FOLDER_EXISTS =
  'The folder has to be on every node: one without it does not take the config.'
export const LOG_FOLDER =
  'Logs are written to /var/log/farmstead, which the node’s user may write to.'
export const CACHE_FOLDER = '/var/cache/farmstead'
export const COMPRESSION = `Copies are made in the background and kept in ${CACHE_FOLDER}: the first answer is the file itself. Brotli and zstd are sent to who takes them.`
export const HOST_LEFT_OUT = {
  code: 'application',
  text: 'This host passes requests on to a program, so it is not in the draft. Keep it where it is, or put the node behind the old server for its files.',
}
export const UNKNOWN =
  'The importer does not know this directive. Look up in the configuration’s list what it may become.'
export const MISSING_FILE =
  'The file was not given, so nothing of it is here. Import it together with this one.'
export const HTTPS_REDIRECT =
  'Sent to https with 301; paths below /.well-known/acme-challenge/ are not.'
export const NO_HTTPS =
  'Nobody is sent to https, as nothing listens with TLS: let what ends TLS in front of the nodes do it.'
export const NO_CERTIFICATE =
  'No certificate is named that a node could show, so nothing listens there: add one to the site, then the address.'
export const UNKNOWN_HOST = 'Names that no site has are answered with 421 by every node.'

// SPDX-License-Identifier: MIT
// To load the library of certificates takes a tenth of a start, two hundred files of it: not before a certificate is made or
// a request read, which most services and commands never do.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
let library: typeof import('@peculiar/x509') | null = null

export function x509(): typeof import('@peculiar/x509') {
  if (library) return library
  // Its types are decorated, by what stands in this one's global.
  require('reflect-metadata')
  library = require('@peculiar/x509') as typeof import('@peculiar/x509')
  return library
}

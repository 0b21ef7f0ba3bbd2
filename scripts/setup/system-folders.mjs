// SPDX-License-Identifier: MIT
// Where Debian has useradd, ldconfig, nginx and iptables.
import { delimiter } from 'node:path'

const FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/** Who became root by `su` alone has none of these on the path, and dpkg refuses without them. @param {string} path */
export function withSystemFolders(path) {
  const known = path.split(delimiter)
  return [...known, ...FOLDERS.filter((folder) => !known.includes(folder))].join(delimiter)
}

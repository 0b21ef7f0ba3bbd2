// SPDX-License-Identifier: MIT
// What a node takes as a host, an address, a media type and a path.

export const bounded = (value: number, [least, most]: readonly [number, number]): number =>
  Math.min(Math.max(value, least), most)

const HOST = /^(\*\.)?[0-9a-z_]([0-9a-z_-]*[0-9a-z_])?(\.[0-9a-z_]([0-9a-z_-]*[0-9a-z_])?)*$/i
export const isHost = (text: string): boolean => text.length <= 253 && HOST.test(text)

const LONGEST_ADDRESS = 50
export const isAddress = (text: string): boolean =>
  text.length <= LONGEST_ADDRESS &&
  (/^(\d{1,3}(\.\d{1,3}){3})(\/\d{1,2})?$/.test(text) ||
    /^[0-9a-f:.]*:[0-9a-f:.]*(\/\d{1,3})?$/i.test(text))

/** Headers that no rule may set. */
export const SERVERS_OWN = new Set(
  `allow connection content-encoding content-length content-range date keep-alive location proxy-connection te trailer
  transfer-encoding upgrade www-authenticate accept-ranges etag last-modified`.split(/\s+/),
)

export const isMediaType = (text: string): boolean =>
  /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+$/.test(text)

export const isAbsolutePath = (text: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the node refuses them in paths
  text.length <= 1024 && /^\/[^\u0000-\u001f\u007f]*$/.test(text)

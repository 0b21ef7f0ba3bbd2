// SPDX-License-Identifier: MIT

/** What may differ of a request, in the order in which one wants to know. */
export const KINDS = [
  ...(['answer', 'status', 'location', 'type'] as const),
  ...(['caching', 'encoding', 'bytes', 'other'] as const),
] as const
export type Kind = (typeof KINDS)[number]

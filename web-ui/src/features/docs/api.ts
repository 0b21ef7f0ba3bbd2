// SPDX-License-Identifier: MIT
// The docs are part of the console: a page of them is a file that is loaded when it is opened.
import { queryOptions } from '@tanstack/react-query'
import { loadChunk } from '../../lib/load-chunk.ts'

const files = import.meta.glob<string>('../../../../docs/*.md', {
  query: '?raw',
  import: 'default',
})
const pictures = import.meta.glob<string>('../../../../docs/images/*', {
  ...{ query: '?url', import: 'default', eager: true },
})

const nameIn = (path: string) => path.split('/').at(-1) ?? ''

const loaders = new Map(
  Object.entries(files).map(([path, load]) => [nameIn(path).replace(/\.md$/, ''), load]),
)
const urls = new Map(Object.entries(pictures).map(([path, url]) => [nameIn(path), url]))

/** "images/farm.webp" → where it is; undefined: there is no such picture. */
export const pictureUrl = (to: string) => urls.get(nameIn(to))

export const docQuery = (page: string) =>
  queryOptions({
    queryKey: ['doc', page],
    queryFn: async (): Promise<string | null> => {
      const load = loaders.get(page)
      return load === undefined ? null : await loadChunk(load)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

// SPDX-License-Identifier: MIT

import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Digest } from '../../components/digest.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { type Column, LongTable } from '../../components/long-table.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Quantity } from '../../components/quantity.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { t } from '../../languages/t.ts'
import type { ManifestFile } from '../../lib/api-types.ts'
import { formatBytes } from '../../lib/format.ts'
import { contentUrl, filesQuery } from './api.ts'
import classes from './releases.module.css'

const TYPING_MS = 250

export function FilesPanel({ manifest }: { manifest: string }) {
  const [typed, setTyped] = useState('')
  const [prefix] = useDebouncedValue(typed, TYPING_MS)
  const files = useInfiniteQuery({
    ...filesQuery(manifest, prefix),
    placeholderData: keepPreviousData,
  })
  return (
    <section className="panel" aria-label={t('Files')}>
      <div className="panel-head">
        <TextInput
          aria-label={t('Path begins with')}
          placeholder={t('Path begins with, as in img/')}
          size="xs"
          maxLength={512}
          value={typed}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
          spellCheck={false}
        />
      </div>
      <QueryStates query={files} what={t('The files')} skeletonRows={8}>
        {({ pages }) => {
          const known = pages.flatMap(({ items }) => items)
          if (known.length === 0) {
            return (
              <EmptyState title={t('No path begins so')}>
                {t('Large and small letters differ.')}
              </EmptyState>
            )
          }
          return (
            <LongTable
              label={t('Files, table')}
              columns={columns}
              rows={known}
              keyOf={keyOf}
              hasMore={files.hasNextPage}
            >
              {(file) => <FileCells file={file} manifest={manifest} />}
            </LongTable>
          )
        }}
      </QueryStates>
      <NextPage of={files}>{t('Show more files')}</NextPage>
    </section>
  )
}

const columns: Column[] = [
  { title: t('Path') },
  { title: t('Size') },
  { title: t('Mode'), className: 'wide-only' },
  { title: t('Digest'), className: 'wide-only' },
  { title: t('Download') },
]
const keyOf = ({ path }: ManifestFile) => path

function FileCells({ file, manifest }: { file: ManifestFile; manifest: string }) {
  const { path, type, target, size, mode, sha256 } = file
  if (type === 'link') {
    return (
      <>
        <td className={classes.path}>{path}</td>
        <td colSpan={4} className={classes.path}>
          {t('a link to {target}', { target })}
        </td>
      </>
    )
  }
  return (
    <>
      <td className={classes.path}>{path}</td>
      <td className="nowrap">
        <Quantity of={size} as={formatBytes} />
      </td>
      <td className="wide-only">{mode}</td>
      <td className="wide-only">{sha256 !== undefined && <Digest value={sha256} />}</td>
      <td>
        <a href={contentUrl(manifest, path)} download aria-label={t('Download {path}', { path })}>
          {t('Download')}
        </a>
      </td>
    </>
  )
}

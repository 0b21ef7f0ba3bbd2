// SPDX-License-Identifier: MIT
// The report that is open, in this tab's memory alone: it stays while one looks at other pages, and goes with a reload or
// when its reader signs out.
import { queryOptions, skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../../../languages/t.ts'
import { type GivenFile, type Report, readReport, Unreadable } from './report-file.ts'

export type OpenReport = { name: string; report: Report }

const openReportQuery = queryOptions<OpenReport | null>({
  queryKey: ['imports', 'comparison'],
  queryFn: skipToken,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  // It may have a hundred megabytes, and another one is another.
  structuralSharing: false,
})

export function useReport() {
  const client = useQueryClient()
  const { data: open = null } = useQuery(openReportQuery)
  const [isReading, setReading] = useState(false)
  const [failure, setFailure] = useState<Unreadable | null>(null)
  const keep = (next: OpenReport | null) => client.setQueryData(openReportQuery.queryKey, next)
  const take = async (files: readonly GivenFile[]) => {
    setReading(true)
    setFailure(null)
    try {
      const file = onlyOne(files)
      keep({ name: file.name, report: await readReport(file) })
    } catch (error) {
      setFailure(error instanceof Unreadable ? error : failed(error))
    } finally {
      setReading(false)
    }
  }
  return {
    open,
    isReading,
    failure,
    take: (files: readonly GivenFile[]) => void take(files),
    close: () => {
      setFailure(null)
      keep(null)
    },
  }
}

/** Such as a browser that has no room for it. */
const failed = (error: unknown) =>
  new Unreadable(t('The file could not be read'), error instanceof Error ? error.message : '')

function onlyOne(files: readonly GivenFile[]): GivenFile {
  const [file] = files
  if (file !== undefined && files.length === 1) return file
  throw new Unreadable(
    t('One file can be shown at a time'),
    t('Choose the one that farmctl compare-servers wrote with --json.'),
  )
}

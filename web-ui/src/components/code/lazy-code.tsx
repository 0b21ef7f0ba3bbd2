// SPDX-License-Identifier: MIT
// The editor's code comes in a chunk of its own; these stand in its place until it is there.

import { lazy, Suspense } from 'react'
import { t } from '../../languages/t.ts'
import { part } from '../../lib/load-chunk.ts'
import { SkeletonRows } from '../query-states.tsx'
import type { CodeViewProps } from './code-view.tsx'
import type { DiffViewProps } from './diff-view.tsx'

const CodeView = lazy(part(() => import('./code-view.tsx').then((m) => ({ default: m.CodeView }))))
const DiffView = lazy(part(() => import('./diff-view.tsx').then((m) => ({ default: m.DiffView }))))

export function LazyCodeView(props: CodeViewProps) {
  return (
    <Suspense fallback={<SkeletonRows rows={8} label={props.label} />}>
      <CodeView {...props} />
    </Suspense>
  )
}

export function LazyDiffView(props: DiffViewProps) {
  return (
    <Suspense fallback={<SkeletonRows rows={8} label={t('The comparison')} />}>
      <DiffView {...props} />
    </Suspense>
  )
}

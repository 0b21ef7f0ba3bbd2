// SPDX-License-Identifier: MIT

import { SegmentedControl } from '@mantine/core'
import { useId, useRef, useState } from 'react'
import { t } from '../../languages/t.ts'
import classes from './chart.module.css'
import type { Cell } from './csv.ts'
import { SaveButtons } from './save-buttons.tsx'
import { type SeriesColour, seriesColour } from './types.ts'

export type ChartFrameProps = {
  label: string
  /** Beside the title: what is measured. */
  help?: string | undefined
  controls?: React.ReactNode
  /** What its file of numbers has. */
  rows: () => Cell[][]
  legend?: readonly { name: string; colour: SeriesColour }[]
  table: React.ReactNode
  /** The drawing: it has one canvas. */
  children: React.ReactNode
  /** Below both. */
  foot?: React.ReactNode
}

/** What every drawing has: a title, its twin as a table, and both as files. */
export function ChartFrame(props: ChartFrameProps) {
  const { label, help, controls, rows, legend = [], table, children, foot } = props
  const headingId = useId()
  const section = useRef<HTMLElement>(null)
  const [view, setView] = useState('chart')
  return (
    <section className="panel" aria-labelledby={headingId} ref={section}>
      <div className="panel-head">
        <h2 id={headingId}>{label}</h2>
        {help !== undefined && <span className="dim">{help}</span>}
        <div className={classes.tools}>
          {controls}
          <SaveButtons
            label={label}
            help={help ?? ''}
            legend={legend.map(({ name, colour }) => ({ name, colour: seriesColour(colour) }))}
            rows={rows}
            drawing={view === 'chart' ? () => section.current?.querySelector('canvas') : null}
          />
          <SegmentedControl
            aria-label={t('{label} as', { label })}
            value={view}
            onChange={setView}
            data={[
              { value: 'chart', label: t('Chart') },
              { value: 'table', label: t('Table') },
            ]}
          />
        </div>
      </div>
      {view === 'chart' ? <div className={classes.body}>{children}</div> : table}
      {foot}
    </section>
  )
}

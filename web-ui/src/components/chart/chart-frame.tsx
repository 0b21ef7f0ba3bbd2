// SPDX-License-Identifier: MIT

import { Button, SegmentedControl } from '@mantine/core'
import { useId, useRef, useState } from 'react'
import { t } from '../../languages/t.ts'
import classes from './chart.module.css'
import { type Cell, csvOf } from './csv.ts'
import { type Legend, saveAs, savePng } from './save.ts'

export type ChartFrameProps = {
  label: string
  /** Beside the title: what is measured. */
  help?: string | undefined
  controls?: React.ReactNode
  /** What its file of numbers has. */
  rows: () => Cell[][]
  legend?: Legend
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
  const savePicture = () => {
    const drawing = section.current?.querySelector('canvas')
    if (drawing) savePng(drawing, { label, help: help ?? '', legend })
  }
  return (
    <section className="panel" aria-labelledby={headingId} ref={section}>
      <div className="panel-head">
        <h2 id={headingId}>{label}</h2>
        {help !== undefined && <span className="dim">{help}</span>}
        <div className={classes.tools}>
          {controls}
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            aria-label={t('{label}: save the numbers as CSV', { label })}
            onClick={() => saveAs(label, 'csv', new Blob([csvOf(rows())], { type: 'text/csv' }))}
          >
            {t('CSV')}
          </Button>
          {view === 'chart' && (
            <Button
              variant="subtle"
              color="gray"
              size="compact-xs"
              aria-label={t('{label}: save the picture as PNG', { label })}
              onClick={savePicture}
            >
              {t('PNG')}
            </Button>
          )}
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

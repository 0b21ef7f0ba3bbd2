// SPDX-License-Identifier: MIT
// The load that both had in turn, run by run.
import { Notice } from '../../../../components/notice.tsx'
import { ScrollBox } from '../../../../components/scroll-box.tsx'
import { t } from '../../../../languages/t.ts'
import { DASH, formatRate, formatSeconds } from '../../../../lib/format.ts'
import { shareText } from './load.ts'
import type { Run } from './report-file.ts'

export function LoadPanel({ runs }: { runs: readonly Run[] }) {
  if (runs.length === 0) return null
  const doubts = new Set(runs.flatMap((run) => run.doubts))
  return (
    <section className="panel" aria-labelledby="comparison-load">
      <div className="panel-head">
        <h2 id="comparison-load">{t('The same load on each, in turn')}</h2>
      </div>
      {doubts.size > 0 && (
        <div className="panel-body">
          <Notice tone="warn" title={t('Not to be believed as it is')}>
            {[...doubts].map((one) => (
              <p key={one} lang="en">
                {one}
              </p>
            ))}
          </Notice>
        </div>
      )}
      <ScrollBox label={t('Load of both servers, table')}>
        <table className="grid">
          <thead>
            <tr>
              <th scope="col">{t('Server')}</th>
              {NUMBERS.map((title) => (
                <th key={title} scope="col" className="num">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {runs.map((run, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: runs of a file, which never change places
              <tr key={i}>
                <th scope="row">{run.side === 'old' ? t('Old') : t('New')}</th>
                {numbersOf(run).map((number, at) => (
                  <td key={NUMBERS[at]} className="num">
                    {number}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </section>
  )
}

const NUMBERS = [
  ...[t('Requests per second'), 'p50', 'p95', 'p99', t('Longest')],
  ...[t('Available'), t('Good')],
]

function numbersOf({ counted }: Run): string[] {
  const { requests, elapsedSeconds, good, socketFaults } = counted
  const { p50Seconds, p95Seconds, p99Seconds, maxNs } = counted.stages.latency
  return [
    elapsedSeconds > 0 ? formatRate(requests / elapsedSeconds) : DASH,
    ...[p50Seconds, p95Seconds, p99Seconds].map(formatSeconds),
    formatSeconds(maxNs / 1e9),
    shareText(requests - socketFaults, requests),
    shareText(good, requests),
  ]
}

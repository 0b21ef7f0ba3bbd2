// SPDX-License-Identifier: MIT
// In which order the files of tests are begun. Without times of an earlier run vitest begins with the largest files, but those
// that take longest here are small: they simulate, or start one process after the other. Begun last, such a one would
// keep the whole waiting, with a core that has nothing left to do.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const LONG =
  /\/(simulator|replay|acme-page|docs|restore|room-for-decisions|reverse-proxies\/|advice\/real|real-probes|bench\/rollout)[^/]*\.test\.ts$/

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

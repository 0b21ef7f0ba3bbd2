// SPDX-License-Identifier: MIT
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Rollout } from '../../lib/api-types.ts'
import { startRolloutMutation } from './api.ts'

export function useStart(onStarted: (rollout: Rollout) => void) {
  const client = useQueryClient()
  return useMutation({
    ...startRolloutMutation,
    onSuccess: (rollout) => {
      void client.invalidateQueries({ queryKey: ['rollouts', 'list'] })
      onStarted(rollout)
    },
    // Perhaps because the plan is another by now: that one is shown then.
    onError: () => client.invalidateQueries({ queryKey: ['rollouts'] }),
  })
}

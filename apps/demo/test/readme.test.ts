import { fileURLToPath } from 'node:url'
import { runReadme } from '@fw/testing'

// The example of the whole composes every package, as the demo does.
runReadme(fileURLToPath(new URL('../../../docs/complete-example.md', import.meta.url)), {
  from: fileURLToPath(new URL('..', import.meta.url)),
})

import { fileURLToPath } from 'node:url'
import { runPage } from '@fw/testing'

// The example of the whole composes every package, as the demo does.
runPage(fileURLToPath(new URL('../../../README.md', import.meta.url)), {
  from: fileURLToPath(new URL('..', import.meta.url)),
})

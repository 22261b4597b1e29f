import { fileURLToPath } from 'node:url'
import { namesEveryExport, runReadme } from '@fw/testing'

const README = fileURLToPath(new URL('../README.md', import.meta.url))

runReadme(README)
namesEveryExport(README, ['index'])

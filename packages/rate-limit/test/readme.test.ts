import { fileURLToPath } from 'node:url'
import { namesEveryExport, runPage, runReadme } from '@fw/testing'

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const README = fileOf('../README.md')
const OVERLOAD = fileOf('../docs/overload.md')

runPage(README, { from: fileOf('..') })
runReadme(OVERLOAD, { from: fileOf('..') })
namesEveryExport(README, ['index', 'redis'], [OVERLOAD, fileOf('../docs/redis.md')])

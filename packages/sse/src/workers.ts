export { workersBackplane } from './backplane/workers/workers-backplane.ts'

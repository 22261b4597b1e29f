export { workersBackplane } from './workers-backplane.ts'

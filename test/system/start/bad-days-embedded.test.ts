import { registerFaultTests } from '#test/support/fault-tests.ts';

registerFaultTests('embedded');

import { defineFaultTests } from '#test/support/fault-tests.ts';

defineFaultTests('mosquitto');

/** An approver's values in the order form of a virtual card, by input. The name is in the command. */
export const filledOrder = {
  date_of_birth: '1991-04-30',
  phone: '512-555-0142',
  email: 'holder@example.com',
  address_line1: '1 Main Street',
  city: 'Austin',
  state: 'TX',
  postal_code: '78701',
  amount: '25',
  reason: 'ads budget',
};

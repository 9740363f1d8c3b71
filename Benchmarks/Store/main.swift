internal import Store

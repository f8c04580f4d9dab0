module example.test/carriage

go 1.26

// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-pareto{data=%S/../Inputs/classes.npz effort=60}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=ALL
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-pareto{data=%S/../Inputs/classes.npz effort=90 ram=24 flash=560 loss=1}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=BOTH
// RUN: not tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-pareto{data=%S/../Inputs/classes.npz effort=0}" 2>&1 | filecheck %s --check-prefix=EFFORT
// RUN: not tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-pareto{data=%S/../Inputs/classes.npz loss=-1}" 2>&1 | filecheck %s --check-prefix=NEGATIVE

// Without limits nothing but the loss counts. Costs are those of programs that spend the flash.
// ALL-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<16, 13>>) -> tensor<3x1x!fixed.q<16, 14>> attributes {
// ALL-NEXT: tdsl.search = [
// ALL-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<16, 13>, error = 2.740000e-05, why = "16 bits by maxscale"},
// ALL-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<16, 14>, error = 1.950000e-05, why = "16 bits by maxscale"},
// ALL-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<15, 14>, error = 1.640000e-05, why = "16 bits by maxscale"},
// ALL-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<16, 15>, error = 8.280000e-06, why = "16 bits by maxscale"},
// ALL-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<16, 14>, error = 1.260000e-01, why = "16 bits by maxscale, scale 2^2 times finer than its range"},
// ALL-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<16, 14>, error = 8.580000e-02, why = "16 bits by maxscale, scale 2^2 times finer than its range"},
// ALL-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<16, 14>, error = 4.160000e-02, why = "16 bits by maxscale, scale 2^1 times finer than its range"}], tdsl.front = [
// ALL-NEXT: {loss = 1.990370e+00, time = 5.990000e+02, flash = 5.510000e+02, ram = 2.200000e+01, origin = "uniform"},
// ALL-NEXT: {loss = 9.187070e-01, time = 6.040000e+02, flash = 5.790000e+02, ram = 2.200000e+01, origin = "uniform"},
// ALL-NEXT: {loss = 6.034490e-02, time = 1.069000e+03, flash = 7.340000e+02, ram = 3.200000e+01, origin = "uniform"},
// ALL-NEXT: {loss = 3.187800e-02, time = 1.066000e+03, flash = 7.350000e+02, ram = 3.400000e+01, origin = "uniform"},
// ALL-NEXT: {loss = 1.570240e-03, time = 1.065000e+03, flash = 7.210000e+02, ram = 3.200000e+01, origin = "uniform"},
// ALL-NEXT: {loss = 4.803940e+00, time = 5.690000e+02, flash = 4.980000e+02, ram = 2.000000e+01, origin = "maxscale", front},
// ALL-NEXT: {loss = 1.467790e+00, time = 5.990000e+02, flash = 5.510000e+02, ram = 2.200000e+01, origin = "maxscale", front},
// ALL-NEXT: {loss = 3.929970e-01, time = 6.040000e+02, flash = 5.790000e+02, ram = 2.200000e+01, origin = "maxscale", front},
// ALL-NEXT: {loss = 2.437180e-02, time = 1.066000e+03, flash = 7.350000e+02, ram = 3.400000e+01, origin = "maxscale"},
// ALL-NEXT: {loss = 1.065800e-03, time = 1.065000e+03, flash = 7.210000e+02, ram = 3.200000e+01, origin = "maxscale", front, chosen},
// ALL-NEXT: {loss = 2.183780e-02, time = 1.068000e+03, flash = 7.200000e+02, ram = 3.000000e+01, origin = "demotion", front},
// ALL-NEXT: {loss = 2.199070e-02, time = 1.006000e+03, flash = 8.660000e+02, ram = 3.300000e+01, origin = "demotion", front},
// ALL-NEXT: {loss = 7.273310e-02, time = 9.320000e+02, flash = 8.900000e+02, ram = 3.400000e+01, origin = "demotion", front},
// ALL-NEXT: {loss = 1.314230e-01, time = 8.240000e+02, flash = 8.500000e+02, ram = 2.900000e+01, origin = "demotion", front},
// ALL-NEXT: {loss = 1.781150e-01, time = 7.780000e+02, flash = 7.420000e+02, ram = 3.100000e+01, origin = "demotion", front}]} {
// ALL-NEXT: func.return %s : tensor<3x1x!fixed.q<16, 14>>

// Within 24 bytes of RAM and 560 of flash the fastest of those that lose no more than 1.
// BOTH-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<8, 5>>) -> tensor<3x1x!fixed.q<8, 7>> attributes {
// BOTH-NEXT: tdsl.ram = 24 : i64, tdsl.search = [
// BOTH-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<8, 5>, error = 8.910000e-03, why = "8 bits by maxscale"},
// BOTH-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<8, 6>, error = 5.830000e-03, why = "8 bits by maxscale"},
// BOTH-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<8, 7>, error = 2.750000e-03, why = "8 bits by maxscale"},
// BOTH-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<8, 7>, error = 4.380000e-03, why = "8 bits by maxscale"},
// BOTH-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<8, 7>, error = 4.180000e-01, why = "8 bits by maxscale, scale 2^3 times finer than its range"},
// BOTH-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<8, 7>, error = 2.850000e-01, why = "8 bits by maxscale, scale 2^3 times finer than its range"},
// BOTH-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<8, 7>, error = 1.470000e-01, why = "8 bits by maxscale, scale 2^2 times finer than its range"}], tdsl.front = [
// BOTH-NEXT: {loss = 1.990370e+00, time = 5.870000e+02, flash = 4.780000e+02, ram = 2.200000e+01, origin = "uniform"},
// BOTH-NEXT: {loss = 9.187070e-01, time = 5.920000e+02, flash = 5.060000e+02, ram = 2.200000e+01, origin = "uniform"},
// BOTH-NEXT: {loss = 6.034490e-02, time = 1.057000e+03, flash = 6.610000e+02, ram = 3.200000e+01, origin = "uniform"},
// BOTH-NEXT: {loss = 3.187800e-02, time = 1.054000e+03, flash = 6.620000e+02, ram = 3.400000e+01, origin = "uniform"},
// BOTH-NEXT: {loss = 1.570240e-03, time = 1.053000e+03, flash = 6.480000e+02, ram = 3.200000e+01, origin = "uniform"},
// BOTH-NEXT: {loss = 4.803940e+00, time = 5.570000e+02, flash = 4.250000e+02, ram = 2.000000e+01, origin = "maxscale", front},
// BOTH-NEXT: {loss = 1.467790e+00, time = 5.870000e+02, flash = 4.780000e+02, ram = 2.200000e+01, origin = "maxscale", front},
// BOTH-NEXT: {loss = 3.429980e-01, time = 5.920000e+02, flash = 5.060000e+02, ram = 2.200000e+01, origin = "maxscale", front, chosen},
// BOTH-NEXT: {loss = 7.223220e-02, time = 1.057000e+03, flash = 6.610000e+02, ram = 3.200000e+01, origin = "maxscale"},
// BOTH-NEXT: {loss = 2.437180e-02, time = 1.054000e+03, flash = 6.620000e+02, ram = 3.400000e+01, origin = "maxscale"},
// BOTH-NEXT: {loss = 1.076860e-03, time = 1.053000e+03, flash = 6.480000e+02, ram = 3.200000e+01, origin = "maxscale", front},
// BOTH-NEXT: {loss = 2.183780e-02, time = 1.056000e+03, flash = 6.470000e+02, ram = 3.000000e+01, origin = "demotion", front},
// BOTH-NEXT: {loss = 2.199070e-02, time = 9.940000e+02, flash = 7.930000e+02, ram = 3.300000e+01, origin = "demotion", front},
// BOTH-NEXT: {loss = 1.101570e-01, time = 8.490000e+02, flash = 7.320000e+02, ram = 3.200000e+01, origin = "demotion", front},
// BOTH-NEXT: {loss = 7.273310e-02, time = 9.200000e+02, flash = 8.170000e+02, ram = 3.400000e+01, origin = "demotion", front},
// BOTH-NEXT: {loss = 1.314230e-01, time = 8.120000e+02, flash = 7.770000e+02, ram = 2.900000e+01, origin = "demotion", front},
// BOTH-NEXT: {loss = 1.781150e-01, time = 7.660000e+02, flash = 6.690000e+02, ram = 3.100000e+01, origin = "demotion", front},
// BOTH-NEXT: {loss = 7.842690e-01, time = 8.950000e+02, flash = 6.120000e+02, ram = 2.900000e+01, origin = "promotion"},
// BOTH-NEXT: {loss = 1.568230e-01, time = 1.044000e+03, flash = 7.210000e+02, ram = 3.100000e+01, origin = "promotion", front}]} {
// BOTH-NEXT: func.return %s : tensor<3x1x!fixed.q<8, 7>>

// EFFORT: pass 'search-pareto': effort must be positive, got 0

// NEGATIVE: pass 'search-pareto': loss must not be negative, got -1

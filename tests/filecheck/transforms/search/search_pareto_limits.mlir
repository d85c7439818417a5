// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-pareto{data=%S/../Inputs/classes.npz effort=80 ram=33 cycles=800}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=TIME
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-pareto{data=%S/../Inputs/classes.npz effort=150 widths=8,16 flash=600}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=PAIR

// Within 33 bytes of RAM and 800 cycles.
// TIME-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<16, 13>>) -> tensor<3x1x!fixed.q<8, 7>> attributes {
// TIME-NEXT: tdsl.ram = 33 : i64, tdsl.search = [
// TIME-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<16, 13>, error = 2.740000e-05, why = "16 bits by demotion"},
// TIME-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<16, 14>, error = 1.950000e-05, why = "16 bits by demotion"},
// TIME-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<8, 7>, error = 2.750000e-03, why = "8 bits by demotion"},
// TIME-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<8, 7>, error = 3.440000e-03, why = "8 bits by demotion"},
// TIME-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<8, 6>, error = 1.310000e-01, why = "8 bits by demotion, scale 2^2 times finer than its range"},
// TIME-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<8, 7>, error = 2.570000e-01, why = "8 bits by demotion, scale 2^3 times finer than its range"},
// TIME-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<8, 7>, error = 1.300000e-01, why = "8 bits by demotion, scale 2^2 times finer than its range"}], tdsl.front = [
// TIME-NEXT: {loss = 1.990370e+00, time = 6.100000e+02, flash = 5.140000e+02, ram = 2.200000e+01, origin = "uniform"},
// TIME-NEXT: {loss = 9.187070e-01, time = 5.740000e+02, flash = 4.940000e+02, ram = 2.200000e+01, origin = "uniform"},
// TIME-NEXT: {loss = 6.034490e-02, time = 1.038000e+03, flash = 6.020000e+02, ram = 3.100000e+01, origin = "uniform"},
// TIME-NEXT: {loss = 3.187800e-02, time = 1.035000e+03, flash = 6.030000e+02, ram = 3.300000e+01, origin = "uniform"},
// TIME-NEXT: {loss = 1.570240e-03, time = 1.034000e+03, flash = 5.890000e+02, ram = 3.100000e+01, origin = "uniform"},
// TIME-NEXT: {loss = 4.803940e+00, time = 5.380000e+02, flash = 3.660000e+02, ram = 1.900000e+01, origin = "maxscale", front},
// TIME-NEXT: {loss = 1.467790e+00, time = 5.680000e+02, flash = 4.190000e+02, ram = 2.100000e+01, origin = "maxscale", front},
// TIME-NEXT: {loss = 3.929970e-01, time = 5.730000e+02, flash = 4.470000e+02, ram = 2.100000e+01, origin = "maxscale", front},
// TIME-NEXT: {loss = 7.223220e-02, time = 1.038000e+03, flash = 6.020000e+02, ram = 3.100000e+01, origin = "maxscale"},
// TIME-NEXT: {loss = 2.437180e-02, time = 1.035000e+03, flash = 6.030000e+02, ram = 3.300000e+01, origin = "maxscale"},
// TIME-NEXT: {loss = 1.076860e-03, time = 1.034000e+03, flash = 5.890000e+02, ram = 3.100000e+01, origin = "maxscale", front},
// TIME-NEXT: {loss = 2.183780e-02, time = 1.037000e+03, flash = 5.880000e+02, ram = 2.900000e+01, origin = "demotion", front},
// TIME-NEXT: {loss = 2.199070e-02, time = 9.750000e+02, flash = 7.340000e+02, ram = 3.200000e+01, origin = "demotion", front},
// TIME-NEXT: {loss = 1.101570e-01, time = 8.300000e+02, flash = 6.730000e+02, ram = 3.100000e+01, origin = "demotion", front},
// TIME-NEXT: {loss = 7.273310e-02, time = 9.010000e+02, flash = 7.580000e+02, ram = 3.300000e+01, origin = "demotion"},
// TIME-NEXT: {loss = 6.147650e-02, time = 7.930000e+02, flash = 7.180000e+02, ram = 2.800000e+01, origin = "demotion", front, chosen},
// TIME-NEXT: {loss = 1.781150e-01, time = 7.470000e+02, flash = 6.100000e+02, ram = 3.000000e+01, origin = "demotion", front},
// TIME-NEXT: {loss = 3.056990e-01, time = 7.830000e+02, flash = 6.420000e+02, ram = 3.200000e+01, origin = "promotion"},
// TIME-NEXT: {loss = 1.568230e-01, time = 1.025000e+03, flash = 6.620000e+02, ram = 3.000000e+01, origin = "promotion", front}]} {
// TIME-NEXT: func.return %s : tensor<3x1x!fixed.q<8, 7>>

// Two widths within 600 bytes of flash: tensors exchange widths and scales, then change one by one.
// PAIR-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<8, 5>>) -> tensor<3x1x!fixed.q<8, 5>> attributes {
// PAIR-NEXT: tdsl.search = [
// PAIR-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<8, 5>, error = 8.910000e-03, why = "8 bits by exchange"},
// PAIR-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<8, 6>, error = 5.730000e-03, why = "8 bits by exchange"},
// PAIR-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<8, 7>, error = 5.040000e-03, why = "8 bits by exchange"},
// PAIR-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<8, 7>, error = 2.340000e-03, why = "8 bits by exchange"},
// PAIR-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<8, 7>, error = 4.200000e-01, why = "8 bits by exchange, scale 2^3 times finer than its range"},
// PAIR-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<8, 5>, error = 2.610000e-01, why = "8 bits by exchange, scale 2^1 times finer than its range"},
// PAIR-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<8, 5>, error = 1.260000e-01, why = "8 bits by exchange"}], tdsl.front = [
// PAIR-NEXT: {loss = 9.187070e-01, time = 5.900000e+02, flash = 5.080000e+02, ram = 2.200000e+01, origin = "uniform"},
// PAIR-NEXT: {loss = 1.570240e-03, time = 1.051000e+03, flash = 6.500000e+02, ram = 3.200000e+01, origin = "uniform"},
// PAIR-NEXT: {loss = 3.929970e-01, time = 5.900000e+02, flash = 5.080000e+02, ram = 2.200000e+01, origin = "maxscale"},
// PAIR-NEXT: {loss = 1.076860e-03, time = 1.051000e+03, flash = 6.500000e+02, ram = 3.200000e+01, origin = "maxscale", front},
// PAIR-NEXT: {loss = 2.183780e-02, time = 1.054000e+03, flash = 6.490000e+02, ram = 3.000000e+01, origin = "demotion", front},
// PAIR-NEXT: {loss = 2.199070e-02, time = 9.920000e+02, flash = 7.950000e+02, ram = 3.300000e+01, origin = "demotion", front},
// PAIR-NEXT: {loss = 1.101570e-01, time = 8.470000e+02, flash = 7.340000e+02, ram = 3.200000e+01, origin = "demotion", front},
// PAIR-NEXT: {loss = 7.273310e-02, time = 9.180000e+02, flash = 8.190000e+02, ram = 3.400000e+01, origin = "demotion", front},
// PAIR-NEXT: {loss = 1.314230e-01, time = 8.100000e+02, flash = 7.790000e+02, ram = 2.900000e+01, origin = "demotion", front},
// PAIR-NEXT: {loss = 1.781150e-01, time = 7.640000e+02, flash = 6.710000e+02, ram = 3.100000e+01, origin = "demotion", front},
// PAIR-NEXT: {loss = 5.142160e-01, time = 6.920000e+02, flash = 5.920000e+02, ram = 2.900000e+01, origin = "promotion"},
// PAIR-NEXT: {loss = 1.568230e-01, time = 1.042000e+03, flash = 7.230000e+02, ram = 3.100000e+01, origin = "promotion", front},
// PAIR-NEXT: {loss = 2.326410e-01, time = 5.860000e+02, flash = 4.940000e+02, ram = 2.200000e+01, origin = "exchange", front, chosen},
// PAIR-NEXT: {loss = 2.187530e-01, time = 7.560000e+02, flash = 6.530000e+02, ram = 3.100000e+01, origin = "change of one", front}]} {
// PAIR-NEXT: func.return %s : tensor<3x1x!fixed.q<8, 5>>
